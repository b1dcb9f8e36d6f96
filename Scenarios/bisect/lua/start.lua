-- A start as many programs in Lua have it: read a configuration, check it, and make an index of it.
local lines = {}
for number = 1, 300 do
  lines[#lines + 1] = string.format(
    "entry{name = 'key%d', value = %d, tags = {'a%d', 'b%d'}, on = %s}",
    number, number * 7, number % 5, number % 11, number % 3 == 0)
end
local index, tags = {}, {}
local function entry(fields)
  assert(type(fields.name) == "string" and not index[fields.name])
  index[fields.name] = fields
  for _, tag in ipairs(fields.tags) do tags[tag] = (tags[tag] or 0) + 1 end
end
local chunk = assert(load(table.concat(lines, "\n"), "=configuration", "t", {entry = entry}))
chunk()
local names = {}
for name in pairs(index) do names[#names + 1] = name end
table.sort(names)
local text = table.concat(names, ","):gsub("key", "k")
assert(#names == 300 and tags.a1 == 60 and #text > 1000)
