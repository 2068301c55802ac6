// A scanner written as the tools for it write them, a state a label: each thread splits a line of text into tokens. Threads are
// in different states at any time, and states lead into each other from several sides.
#include "cuda.h"

// What the host's table says of the first character of a token.
enum { SPACE, LETTER, DIGIT, QUOTE, SLASH, SIGN, END };

struct scan {
    const uchar *at, *classes;
    uint mix, tokens;
};

DEVICE uint peek(const scan &s) {
    return s.classes[*s.at];
}
DEVICE void finish(scan &s, uint kind, uint value) {
    BRANCH; // kept apart from the ends of the other kinds, as calls of an action are
    s.mix = (s.mix ^ (value + kind)) * 16777619u;
    s.tokens++;
}

KERNEL lexer(uint *mixes, uint *counts, const uchar *text, const uchar *classes, const uint *lines, uint n) {
    const uint id = global_id();
    if (id >= n) return;
    scan s = {text + lines[id], classes, 2166136261u, 0};
    uint value;

start:
    value = 0;
    switch (peek(s)) {
    case SPACE: s.at++; goto start;
    case LETTER: goto word;
    case DIGIT: goto number;
    case QUOTE: s.at++; goto string;
    case SLASH: s.at++; goto slash;
    case SIGN: finish(s, SIGN, *s.at++); goto start;
    default: goto end;
    }

word:
    do value = value * 31 + *s.at++;
    while (peek(s) == LETTER || peek(s) == DIGIT);
    finish(s, LETTER, value);
    goto start;

number:
    if (*s.at == '0' && (s.at[1] == 'x' || s.at[1] == 'X')) {
        s.at += 2;
        goto hexadecimal;
    }
    do value = value * 10 + (uint)(*s.at++ - '0');
    while (peek(s) == DIGIT);
    if (*s.at == '.' && peek({s.at + 1, classes, 0, 0}) == DIGIT) {
        for (s.at++; peek(s) == DIGIT; s.at++) value = value * 10 + (uint)(*s.at - '0') + 1;
    }
    finish(s, DIGIT, value);
    goto start;

hexadecimal:
    for (;; s.at++) {
        const uint c = *s.at | 0x20u;
        if (peek(s) == DIGIT) value = value * 16 + (c & 15);
        else if (c >= 'a' && c <= 'f' && peek(s) == LETTER) value = value * 16 + c - 'a' + 10;
        else break;
    }
    finish(s, DIGIT, value);
    goto start;

string:
    if (peek(s) == QUOTE) {
        s.at++;
        finish(s, QUOTE, value);
        goto start;
    }
    if (*s.at == '\\') {
        s.at++;
        if (peek(s) != END) goto escape;
    }
    if (peek(s) == END) goto end; // a string without its end is no token
    value = value * 131 + *s.at++;
    goto string;

escape:
    value = value * 137 + *s.at++;
    goto string;

slash:
    if (*s.at == '/') goto end; // a comment to the end of the line
    if (*s.at != '*') {
        finish(s, SIGN, '/');
        goto start;
    }
    s.at++;
    do {
        if (peek(s) == END) goto end;
    } while (*s.at++ != '*' || *s.at != '/');
    s.at++;
    goto start;

end:
    mixes[id] = s.mix;
    counts[id] = s.tokens;
}
