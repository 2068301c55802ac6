/* The frame of a page and its style: one column of text, tables and charts; system fonts; colours for light and dark that
 * keep a contrast of at least 4.5 to 1 with the ground they are on. */
#include "report/html.h"

static const char *const style[] = {
    ":root{color-scheme:light dark;--ground:#fff;--ink:#1c1c1e;--soft:#5c5c63;--line:#d6d6dc;--pane:#f5f5f8;",
    "--good:#0b6e4f;--fair:#8a5a00;--bad:#b3261e;--none:#5c5c63}\n",
    "@media(prefers-color-scheme:dark){:root{--ground:#16161a;--ink:#ececf0;--soft:#a5a5b0;--line:#3a3a42;",
    "--pane:#202026;--good:#5bd1a5;--fair:#e9b44c;--bad:#ff8a80;--none:#a5a5b0}}\n",
    "*{box-sizing:border-box}\n",
    "body{margin:0 auto;max-width:76rem;padding:1.5rem;background:var(--ground);color:var(--ink);",
    "font:15px/1.45 system-ui,sans-serif}\n",
    "h1{font-size:1.6rem;margin:0 0 .3rem}h2{margin:2.2rem 0 .2rem;font-size:1.25rem}p{margin:.3rem 0}\n",
    ".soft,.id,dd{color:var(--soft)}.id{font:.85em ui-monospace,monospace}a{color:inherit}\n",
    ".good{color:var(--good)}.fair{color:var(--fair)}.bad{color:var(--bad)}.none{color:var(--none)}\n",
    "svg{display:block}svg .good{fill:var(--good)}svg .fair{fill:var(--fair)}svg .bad{fill:var(--bad)}",
    "svg .none{fill:var(--none)}svg .theirs{fill:none;stroke:var(--ink);stroke-width:1}",
    "svg .axis{stroke:var(--soft);stroke-width:1;fill:none}\n",
    "table{border-collapse:collapse;margin:.6rem 0}th,td{padding:.15rem .7rem .15rem 0;text-align:left;",
    "vertical-align:top}th{font-weight:600}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}\n",
    ".score{background:var(--pane);border:1px solid var(--line);border-radius:.5rem;padding:.6rem 1rem;",
    "margin:1rem 0}.score h2{margin:0}\n",
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.5rem 0}dd{margin:0}\n",
    ".claim{display:grid;grid-template-columns:minmax(14rem,1fr) 230px 7.5rem 9rem 10.5rem;gap:.2rem 1rem;",
    "border-top:1px solid var(--line);padding:.55rem 0;break-inside:avoid;align-items:start}\n",
    ".claim>.n{text-align:right;font-variant-numeric:tabular-nums}",
    ".claim>details,.claim>.note{grid-column:1/-1}\n",
    ".head{font-weight:600;border-top:0;padding-bottom:.2rem}.signs{letter-spacing:.1em}\n",
    "details{font-size:.92em}summary{cursor:pointer;color:var(--soft)}details[open]{background:var(--pane);",
    "padding:.3rem .7rem;border-radius:.4rem}.note{color:var(--soft);font-size:.92em}\n",
    "@media(max-width:62rem){.claim{grid-template-columns:1fr 1fr}.head{display:none}}\n",
    "@media print{body{max-width:none;padding:0;font-size:11px;background:#fff;color:#000}",
    "svg{print-color-adjust:exact;-webkit-print-color-adjust:exact}summary{list-style:none}}\n",
};

void html_begin(struct sb *out, const char *title) {
    sb_add(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    html_text(out, title);
    sb_add(out, "</title>\n<style>\n");
    for (size_t i = 0; i < sizeof style / sizeof *style; i++) sb_add(out, "%s", style[i]);
    sb_add(out, "</style>\n</head>\n<body>\n");
}

void html_end(struct sb *out) {
    sb_add(out, "</body>\n</html>\n");
}
