// The library of the example: case folding and letter statistics.
#ifndef TEXT_H
#define TEXT_H

unsigned char text_fold(unsigned char letter);
unsigned text_width(const char *text);

#endif
