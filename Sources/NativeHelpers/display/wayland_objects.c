// Connections: the objects that have ids in them, and the descriptors that came with requests.
#define _GNU_SOURCE
#include "wayland_objects.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OBJECT_LIMIT = 1 << 20, FIRST_ROOM = 256 };

static const uint32_t first_server_id = 0xff000000;

void give_up_on(struct client *client) { client->is_opaque = 1; }

// MARK: Objects

static struct map *map_of(struct client *client, uint32_t *id) {
  int is_servers = *id >= first_server_id;
  if (is_servers) *id -= first_server_id;
  return &client->maps[is_servers];
}

struct object *find_object(struct client *client, uint32_t id) {
  const struct map *map = map_of(client, &id);
  return id < map->room && map->objects[id].kind != NOTHING ? &map->objects[id] : NULL;
}

struct surface *find_surface(struct client *client, uint32_t id) {
  struct object *object = find_object(client, id);
  return object && object->kind == SURFACE ? object->surface : NULL;
}

static int grow(struct map *map, uint32_t id) {
  uint32_t room = map->room ? map->room : FIRST_ROOM;
  while (room <= id) room *= 2;
  if (room == map->room) return 1;
  struct object *objects = realloc(map->objects, room * sizeof *objects);
  if (!objects) return 0;
  memset(objects + map->room, 0, (room - map->room) * sizeof *objects);
  *map = (struct map){objects, room};
  return 1;
}

struct object *create(struct client *client, uint32_t id, enum kind kind, uint32_t surface_id) {
  forget(client, id);
  uint32_t index = id;
  struct map *map = map_of(client, &index);
  if (id == 0 || index >= OBJECT_LIMIT || !grow(map, index)) {
    give_up_on(client);
    return NULL;
  }
  map->objects[index] = (struct object){.kind = kind, .surface_id = surface_id};
  return &map->objects[index];
}

void forget(struct client *client, uint32_t id) {
  struct object *found = find_object(client, id);
  if (!found) return;
  struct object object = *found;
  found->kind = NOTHING;
  if (object.kind == SURFACE) remove_surface(client, object.surface);
  if (object.kind == POOL) release_pool(object.pool);
  if (object.kind == BUFFER) {
    release_pool(object.buffer->pool);
    free(object.buffer);
  }
  struct surface *surface = find_surface(client, object.surface_id);
  if (surface) leave_surface(client, surface, object.kind, id);
}

// MARK: Descriptors

static void forget_held(struct client *client, int count) {
  client->held_count -= count;
  memmove(client->held, client->held + count, (size_t)client->held_count * sizeof *client->held);
}

void drop_held(struct client *client, int count) {
  for (int index = 0; index < count; index++) close(client->held[index].file);
  forget_held(client, count);
}

// Requests that are not known may have descriptors, too. These are seldom files, and are then for
// messages that have gone by, or too small.
int take_file(struct client *client, int64_t size) {
  struct stat status;
  int file = -1, taken = 0;
  while (file < 0 && taken < client->held_count) {
    struct held_file held = client->held[taken++];
    if (held.until >= client->requested && fstat(held.file, &status) == 0 && status.st_size >= size)
      file = held.file;
    else
      close(held.file);
  }
  forget_held(client, taken);
  return file;
}

void hold_files(struct client *client, const int *descriptors, int count, uint64_t until) {
  struct stat status;
  while (client->held_count > 0 && client->held[0].until < client->requested) drop_held(client, 1);
  for (int index = 0; index < count; index++) {
    if (client->is_opaque || client->held_count == HELD_LIMIT || !has_room_for_pool()) return;
    if (fstat(descriptors[index], &status) != 0 || !S_ISREG(status.st_mode)) continue;
    int file = fcntl(descriptors[index], F_DUPFD_CLOEXEC, 0);
    if (file >= 0) client->held[client->held_count++] = (struct held_file){file, until};
  }
}

// MARK: Clients

struct client *client_add(int32_t pid, int64_t connected) {
  struct client *client = malloc(sizeof *client);
  if (!client) return NULL;
  *client = (struct client){.pid = pid, .connected = connected, .clock = CLOCK_MONOTONIC};
  create(client, 1, DISPLAY, 0);
  return client;
}

void client_forget_windows(struct client *client) {
  for (struct surface *surface = client->surfaces; surface; surface = surface->next)
    surface->window = NULL;
}

void client_remove(struct client *client, int64_t at) {
  client->at = at;
  for (int map = 0; map < 2; map++) {
    for (uint32_t index = 0; index < client->maps[map].room; index++) {
      enum kind kind = client->maps[map].objects[index].kind;
      if (kind == POOL || kind == BUFFER) forget(client, index + (map ? first_server_id : 0));
    }
  }
  remove_surfaces(client);
  for (int map = 0; map < 2; map++) free(client->maps[map].objects);
  drop_held(client, client->held_count);
  free(client);
}
