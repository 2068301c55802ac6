/* The table of entry points of the driver interface. */
#ifndef CUDA_DRV_TABLE_H
#define CUDA_DRV_TABLE_H

/* As CUdriverProcAddressQueryResult counts. */
enum drv_found { DRV_FOUND, DRV_UNKNOWN, DRV_TOO_NEW };
/* What a name means to a program made for a version of CUDA (12050: 12.5). *function is NULL when it is not found. */
enum drv_found drv_find(const char *name, int version, int per_thread, void **function);
#endif
