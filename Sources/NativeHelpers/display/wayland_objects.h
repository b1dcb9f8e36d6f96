// What is known of the program at one end of a connection: its objects, among them its surfaces and
// what these show.
#pragma once

#include "display.h"
#include "wayland.h"

// MARK: Pixels, in wayland_pixels.c

// Memory that a program shares with the server; it is kept while there are buffers in it.
struct pool {
  int file;
  unsigned references;
  int64_t size;
};

struct buffer {
  struct pool *pool;  // NULL when the pixels cannot be read, or are all the same
  int is_plain;       // one pixel, whose color is `color`
  uint32_t color;
  int32_t offset, width, height, stride;
  uint32_t format;
};

struct rectangle {
  int32_t x, y, width, height;
};

enum { DAMAGE_LIMIT = 32 };

// What has been drawn of a buffer, in its own pixels.
struct damage {
  int is_whole;
  int count;
  struct rectangle rectangles[DAMAGE_LIMIT];
};

// The content of a surface, to compare the next one with.
struct picture {
  uint32_t *pixels;  // NULL while there is none, and when it is not known
  int32_t width, height;
  uint32_t format;
  uint32_t colors;  // of opaque pixels, counted up to 2
  uint32_t color;   // the first of them
};

int has_room_for_pool(void);
// Takes over the descriptor, which may be -1. NULL when the memory cannot be read.
struct pool *open_pool(int file, int64_t size);
struct pool *retain_pool(struct pool *pool);
void release_pool(struct pool *pool);
void add_damage(struct damage *damage, struct rectangle rectangle);
// Takes over what is damaged, and gives how many pixels are other than before. What cannot be read
// counts as new, and as having more than one color.
uint64_t draw_picture(struct picture *picture, const struct buffer *buffer,
                      const struct damage *damage);
void clear_picture(struct picture *picture);

// Where pictures are laid over each other; pixels are 0xRRGGBB.
struct canvas {
  uint32_t *pixels;
  int32_t width, height;
};

// Makes the picture as large as its place. False when its pixels are not known.
int lay_picture(const struct picture *picture, const struct rectangle *place,
                const struct canvas *canvas);

// MARK: Objects, in wayland_objects.c

enum kind {
  NOTHING,
  DISPLAY,
  REGISTRY,
  COMPOSITOR,
  SUBCOMPOSITOR,
  SHARED_MEMORY,
  POOL,
  BUFFER,
  SURFACE,
  SUBSURFACE,
  CALLBACK,
  SHELL,
  SHELL_SURFACE,
  TOPLEVEL,
  LAYER_SHELL,
  LAYER_SURFACE,
  PRESENTATION,
  FEEDBACK,
  VIEWPORTER,
  VIEWPORT,
  DMABUF,
  DMABUF_PARAMETERS,
  SINGLE_PIXEL,
};

struct object {
  enum kind kind;
  uint32_t surface_id;  // of the surface that it is, or is made for, which may be gone; or 0
  union {
    struct pool *pool;  // NULL when it cannot be read
    struct buffer *buffer;
    struct surface *surface;
    struct {
      int32_t width, height;
    };
  };
};

enum { HELD_LIMIT = 28 };

// A descriptor that came from the program and may be of a pool.
struct held_file {
  int file;
  uint64_t until;  // messages that begin behind this byte have other ones
};

struct client {
  int32_t pid;
  int64_t connected;
  int is_opaque;       // not understood any more
  int64_t at;          // when the message came that is looked at
  uint64_t requested;  // bytes up to the request that is looked at
  clockid_t clock;     // of what the server says of presentation
  struct surface *surfaces;
  struct held_file held[HELD_LIMIT];
  int held_count;
  struct map {
    struct object *objects;
    uint32_t room;
  } maps[2];  // of ids that the program gives, and of those that the server gives
};

void give_up_on(struct client *client);
struct object *find_object(struct client *client, uint32_t id);
struct surface *find_surface(struct client *client, uint32_t id);
// NULL when there is none, and the connection is not understood any more.
struct object *create(struct client *client, uint32_t id, enum kind kind, uint32_t surface_id);
void forget(struct client *client, uint32_t id);
// Copies those descriptors that may be of pools, for the requests that end by this byte.
void hold_files(struct client *client, const int *descriptors, int count, uint64_t until);
// The file of a new pool, or -1.
int take_file(struct client *client, int64_t size);
void drop_held(struct client *client, int count);

// MARK: Surfaces, in wayland_surfaces.c

enum { WORD_LIMIT = 16 };

// An answer of the server that a program has asked for, which tells that it has shown a commit.
struct word {
  uint32_t id;  // 0 where there is none
  int is_feedback;
  int is_committed;
  int is_of_content;  // the window had content by then
  int64_t committed;
};

struct surface {
  struct surface *next;  // of the client's
  struct surface *parent;
  int is_synchronized;  // what it commits is shown with what its parent commits
  int32_t x, y;         // in the parent
  int32_t scale, transform, width, height;  // the last two by its viewport, or 0
  struct rectangle geometry;  // of the window without its shadow
  struct pending {
    int is_attached, has_buffer;
    struct buffer buffer;
    struct damage damage, surface_damage;
  } pending;  // until the next commit
  struct picture picture;
  uint64_t unseen;  // pixels that changed, and are not shown yet
  struct word words[WORD_LIMIT];
  uint32_t role;  // the object that makes it a window
  struct window *window;
};

void add_surface(struct client *client, uint32_t id);
void remove_surface(struct client *client, struct surface *surface);
// All of them, with their windows.
void remove_surfaces(struct client *client);
// What an object has made of the surface that it was made for is undone.
void leave_surface(struct client *client, struct surface *surface, enum kind kind, uint32_t id);
// NULL for none.
void attach_buffer(struct surface *surface, const struct buffer *buffer);
void commit_surface(struct client *client, struct surface *surface);
// The program has asked for a word with its next commit, and the server has said it.
void ask_for_word(struct surface *surface, uint32_t id, int is_feedback);
void hear_word(struct client *client, struct surface *surface, uint32_t id, int64_t said);
void make_window(struct client *client, struct surface *surface, uint32_t role);
