/* cudaCreateChannelDesc<T>: the format of an array's elements, from their type. */
#ifndef HEDDLE_CUDA_CHANNEL_DESCRIPTOR_H
#define HEDDLE_CUDA_CHANNEL_DESCRIPTOR_H

#include "cuda_runtime_api.h"

#ifdef __cplusplus
template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc() {
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define HEDDLE_CHANNELS(T, channels, kind)                                                                       \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<T>() {                                        \
        const int bits = (int)(8 * sizeof(T) / (channels));                                                      \
        return cudaCreateChannelDesc(bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,                     \
                                     channels > 3 ? bits : 0, cudaChannelFormatKind##kind);                      \
    }
#define HEDDLE_CHANNELS_OF(T, name, kind) \
    HEDDLE_CHANNELS(T, 1, kind)           \
    HEDDLE_CHANNELS(name##1, 1, kind)     \
    HEDDLE_CHANNELS(name##2, 2, kind)     \
    HEDDLE_CHANNELS(name##4, 4, kind)
HEDDLE_CHANNELS(char, 1, Signed)
HEDDLE_CHANNELS_OF(signed char, char, Signed)
HEDDLE_CHANNELS_OF(unsigned char, uchar, Unsigned)
HEDDLE_CHANNELS_OF(short, short, Signed)
HEDDLE_CHANNELS_OF(unsigned short, ushort, Unsigned)
HEDDLE_CHANNELS_OF(int, int, Signed)
HEDDLE_CHANNELS_OF(unsigned int, uint, Unsigned)
HEDDLE_CHANNELS_OF(float, float, Float)
#undef HEDDLE_CHANNELS_OF
#undef HEDDLE_CHANNELS
inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
    return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return cudaCreateChannelDescHalf(); }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
    return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
    return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}
#endif

#endif
