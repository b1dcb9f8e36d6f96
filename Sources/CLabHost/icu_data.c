#include <stdint.h>

// Foundation's ICU brings 34 MB of locales, calendars and collations. launchlab writes dates in
// ISO 8601 and numbers as C does, so that it needs none of them: in a statically linked executable
// this empty package stands in for icu_packaged_data.o, whose only symbol it defines. A Foundation
// with another version of ICU asks for another name and is linked with its own data.
// Source of the layout: icu4c/source/common/udata.h and ucmndata.h, formats 0xda 0x27 and "CmnD".
const struct {
  uint16_t header_size;
  uint8_t magic[2];
  uint16_t info_size;
  uint16_t reserved;
  uint8_t is_big_endian;
  uint8_t charset_family;
  uint8_t size_of_uchar;
  uint8_t reserved_byte;
  uint8_t data_format[4];
  uint8_t format_version[4];
  uint8_t data_version[4];
  uint8_t padding[8];
  uint32_t entries;
} icudt76_dat __attribute__((aligned(16))) = {
    .header_size = 32,
    .magic = {0xda, 0x27},
    .info_size = 20,
    .size_of_uchar = 2,
    .data_format = {'C', 'm', 'n', 'D'},
    .format_version = {1},
};
