// The basic colours, which palettes refer to.
#define COLOUR(number) const int colour_##number = 0x010307 * number;
#define TEN(n) \
  COLOUR(n##0) COLOUR(n##1) COLOUR(n##2) COLOUR(n##3) COLOUR(n##4) \
  COLOUR(n##5) COLOUR(n##6) COLOUR(n##7) COLOUR(n##8) COLOUR(n##9)
TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6)
