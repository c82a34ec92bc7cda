import { hex } from '../../platform/bytes.ts'
import type { Script } from './driver.ts'

/** What all scripts about one partition begin with. A row's head stands behind its version and its alias or partition. */
const PARTITION = `
local order, heads, bodies, ids, threads, threadBodies, latest, partitions = unpack(KEYS)

local function isThread(name) return string.sub(name, 1, 1) == 't' end
local function headsOf(name) if isThread(name) then return threads else return heads end end
local function bodiesOf(name) if isThread(name) then return threadBodies else return bodies end end

local function versionAndLink(value)
  if not value then return nil, nil end
  local first = string.find(value, '\\n', 1, true)
  local second = string.find(value, '\\n', first + 1, true)
  return string.sub(value, 1, first - 1), string.sub(value, first + 1, second - 1)
end
`

/** Everything that may refuse a batch comes before its first write: a script that fails takes nothing back. */
const COMMIT = `${PARTITION}
local partition, version = ARGV[1], ARGV[2]
local batch = cjson.decode(ARGV[3])

-- A key of others, of another kind, must not be met in the midst of the writes.
for _, key in ipairs({ heads, bodies, ids, threads, threadBodies }) do redis.call('HLEN', key) end
for _, key in ipairs({ order, latest, partitions }) do redis.call('ZCARD', key) end

-- A row of threads that lives in another partition is none of this one.
local function find(name)
  local found, link = versionAndLink(redis.call('HGET', headsOf(name), name))
  if isThread(name) and link ~= partition then return nil, nil end
  return found, link
end

-- A client may send once more what was cut off after it had been carried out. What puts nothing leaves a note for that.
local note = KEYS[9]
if batch.puts[1] then
  if find(batch.puts[1].name) == version then return 1 end
elseif redis.call('EXISTS', note) == 1 then return 1 end

for _, check in ipairs(batch.checks) do
  if (find(check[1]) or '') ~= check[2] then return 0 end
end

local gone, goneList = {}, {}
local function goes(name)
  if not gone[name] then
    gone[name] = true
    goneList[#goneList + 1] = name
  end
end
for _, range in ipairs(batch.ranges) do
  for _, name in ipairs(redis.call('ZRANGEBYLEX', order, '[' .. range[1], '(' .. range[2])) do goes(name) end
end
for _, name in ipairs(batch.deletes) do
  if redis.call('ZSCORE', order, name) then goes(name) end
end

local claimed = {}
for _, put in ipairs(batch.puts) do
  if isThread(put.name) then
    local found, home = versionAndLink(redis.call('HGET', threads, put.name))
    if found and home ~= partition then return 0 end
  end
  if put.alias then
    local owner = claimed[put.alias]
    if not owner then
      owner = redis.call('HGET', ids, put.alias)
      if owner and gone[owner] then owner = nil end
    end
    if owner and owner ~= put.name then return 0 end
    claimed[put.alias] = put.name
  end
end

local function forget(name)
  if isThread(name) then return end
  local _, alias = find(name)
  if alias and alias ~= '' and redis.call('HGET', ids, alias) == name then redis.call('HDEL', ids, alias) end
end

for _, name in ipairs(goneList) do
  forget(name)
  redis.call('ZREM', order, name)
  redis.call('HDEL', headsOf(name), name)
  redis.call('HDEL', bodiesOf(name), name)
  if isThread(name) then redis.call('ZREM', latest, name) end
end

for _, put in ipairs(batch.puts) do
  local name = put.name
  forget(name)
  redis.call('ZADD', order, 0, name)
  local link = put.alias or ''
  if isThread(name) then link = partition end
  redis.call('HSET', headsOf(name), name, version .. '\\n' .. link .. '\\n' .. put.head)
  if put.body then redis.call('HSET', bodiesOf(name), name, ARGV[put.body])
  else redis.call('HDEL', bodiesOf(name), name) end
  if put.alias then redis.call('HSET', ids, put.alias, name) end
  if put.score then redis.call('ZADD', latest, put.score, name)
  elseif isThread(name) then redis.call('ZREM', latest, name) end
end

if redis.call('ZCARD', order) > 0 then redis.call('ZADD', partitions, 0, 'p' .. partition)
else redis.call('ZREM', partitions, 'p' .. partition) end
if not batch.puts[1] then redis.call('SET', note, 1, 'EX', 600) end
return 1`

/** For each query a list of its rows: name, head and body, '' where there is none. */
const READ = `${PARTITION}
local partition = ARGV[1]

local function add(rows, name)
  local head = redis.call('HGET', headsOf(name), name)
  if not head then return end
  if isThread(name) then
    local _, home = versionAndLink(head)
    if home ~= partition then return end
  end
  rows[#rows + 1] = name
  rows[#rows + 1] = head
  rows[#rows + 1] = redis.call('HGET', bodiesOf(name), name) or ''
end

local answer = {}
for i, query in ipairs(cjson.decode(ARGV[2])) do
  local names
  if query.names then names = query.names
  elseif query.alias then names = { redis.call('HGET', ids, query.alias) or nil }
  elseif query.reverse then
    names = redis.call('ZREVRANGEBYLEX', order, '(' .. query.to, '[' .. query.from, 'LIMIT', 0, query.limit)
  else
    names = redis.call('ZRANGEBYLEX', order, '[' .. query.from, '(' .. query.to, 'LIMIT', 0, query.limit)
  end
  local rows = {}
  for _, name in ipairs(names) do add(rows, name) end
  answer[i] = rows
end
return answer`

const LOCATE = `
local head = redis.call('HGET', KEYS[1], ARGV[1])
if not head then return {} end
return { ARGV[1], head, redis.call('HGET', KEYS[2], ARGV[1]) or '' }`

/** Rows of threads: name, score, head and body. Those with the score of the cursor are in the order of their names. */
const LIST = `
local latest, threads, threadBodies = unpack(KEYS)
local most, score, name = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local found = {}
local function take(members)
  for i = 1, #members, 2 do
    if most >= 0 and #found / 4 >= most then return end
    local head = redis.call('HGET', threads, members[i])
    if head and (score == '' or members[i + 1] ~= score or members[i] > name) then
      found[#found + 1] = members[i]
      found[#found + 1] = members[i + 1]
      found[#found + 1] = head
      found[#found + 1] = redis.call('HGET', threadBodies, members[i]) or ''
    end
  end
end
if score == '' then
  take(redis.call('ZRANGEBYSCORE', latest, '-inf', '+inf', 'WITHSCORES', 'LIMIT', 0, most))
else
  local same = redis.call('ZRANGEBYSCORE', latest, score, score, 'WITHSCORES')
  if same[2] then score = same[2] end
  take(same)
  take(redis.call('ZRANGEBYSCORE', latest, '(' .. score, '+inf', 'WITHSCORES', 'LIMIT', 0, most))
end
return found`

const PARTITIONS = `return redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], '+', 'LIMIT', 0, ARGV[2])`

const DROP = `${PARTITION}
for _, name in ipairs(redis.call('ZRANGE', order, 0, -1)) do
  if isThread(name) then
    redis.call('HDEL', threads, name)
    redis.call('HDEL', threadBodies, name)
    redis.call('ZREM', latest, name)
  end
end
redis.call('DEL', order, heads, bodies, ids)
redis.call('ZREM', partitions, 'p' .. ARGV[1])
return 1`

const SOURCES = { COMMIT, READ, LOCATE, LIST, PARTITIONS, DROP }
export type Scripts = Readonly<Record<keyof typeof SOURCES, Script>>

/** With the sums by which a server knows them. */
export async function makeScripts(): Promise<Scripts> {
  const made = Object.entries(SOURCES).map(
    async ([name, source]) => [name, { source, sha: await sha1(source) }] as const,
  )
  return Object.fromEntries(await Promise.all(made)) as Scripts
}

async function sha1(text: string): Promise<string> {
  const sum = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text))
  return hex(new Uint8Array(sum))
}
