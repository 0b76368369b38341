/** Finds the changes between two versions of a schema that can break a program that reads the output. */

/**
 * The commands whose schemas changed in a breaking way, with the changes as sentences. A command without a schema any more
 * is one of them; a new one is not.
 */
export const brokenOutputs = (before, after) =>
  Object.keys(before).flatMap((command) => {
    const changes =
      after[command] === undefined
        ? ['it has no JSON output any more']
        : breakingChanges(before[command], after[command]);
    return changes.length === 0 ? [] : [{ command, changes }];
  });

/** Whether the Unreleased part of a changelog has a line that begins with: - Output of `COMMAND`. */
export function namedInChangelog(changelog, command) {
  const [, unreleased = ''] = /^## Unreleased$([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(changelog) ?? [];
  return unreleased.split('\n').some((line) => line.startsWith(`- Output of \`${command}\``));
}

/**
 * The breaking changes of one schema: a member, a type, a word of an enumeration or a form of the output that is gone or
 * new where it was closed before; and a member that is no longer sure to be there.
 */
export function breakingChanges(before, after) {
  return compare({ whole: before, part: before }, { whole: after, part: after }, 'output', new Set());
}

function compare(before, after, path, seen) {
  const [old, now] = [resolved(before), resolved(after)];
  // A schema that contains itself is compared once.
  const pair = `${before.part.$ref} ${after.part.$ref}`;
  if (before.part.$ref !== undefined && seen.has(pair)) return [];
  const inside = new Set([...seen, pair]);
  const within = (part, other, at) => compare({ ...before, part }, { ...after, part: other }, at, inside);
  return [
    ...compareTypes(old, now, path),
    ...compareWords(old, now, path),
    ...missingMembers(old, now, path),
    ...lostPromises(old, now, path),
    ...Object.entries(old.properties ?? {}).flatMap(([name, part]) => {
      const other = now.properties?.[name];
      return other === undefined ? [] : within(part, other, `${path}.${name}`);
    }),
    ...(old.items !== undefined && now.items !== undefined ? within(old.items, now.items, `${path}[]`) : []),
    ...compareForms(old, now, path, within),
  ];
}

/** A schema with what it refers to, and with all parts of `allOf`, as one object. */
function resolved({ whole, part }) {
  const { $ref, allOf = [], ...own } = part;
  const target = $ref === undefined || $ref === '#' ? {} : whole.$defs[$ref.replace('#/$defs/', '')];
  const parts = [...($ref === undefined ? [] : [target]), ...allOf].map((inner) => resolved({ whole, part: inner }));
  return parts.reduce(merged, own);
}

const merged = (one, other) => ({
  ...other,
  ...one,
  properties: { ...other.properties, ...one.properties },
  required: [...(other.required ?? []), ...(one.required ?? [])],
});

const typesOf = ({ type }) => (type === undefined ? undefined : [type].flat());

function compareTypes(old, now, path) {
  const [before, after] = [typesOf(old), typesOf(now)];
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (before === undefined) return [`${path}: it was any value, and is ${after.join(' or ')} now`];
  if (after === undefined)
    return old.anyOf === undefined && now.anyOf === undefined
      ? [`${path}: it was ${before.join(' or ')}, and can be any value now`]
      : [];
  const gone = before.filter((type) => !after.includes(type));
  const added = after.filter((type) => !before.includes(type) && !(type === 'integer' && before.includes('number')));
  return gone.length + added.length === 0
    ? []
    : [`${path}: its type was ${before.join(' or ')}, and is ${after.join(' or ')} now`];
}

function compareWords(old, now, path) {
  if (old.enum === undefined) return [];
  const gone = old.enum.filter((word) => now.enum?.includes(word) !== true);
  const added = (now.enum ?? []).filter((word) => !old.enum.includes(word));
  return [
    ...(gone.length === 0 ? [] : [`${path}: it is never ${gone.join(', ')} any more`]),
    // An enumeration of the service stands beside any other string: a new word was possible before.
    ...(added.length === 0 || old.type === undefined ? [] : [`${path}: it can be ${added.join(', ')} now`]),
  ];
}

const missingMembers = (old, now, path) =>
  Object.keys(old.properties ?? {})
    .filter((name) => now.properties?.[name] === undefined)
    .map((name) => `${path}.${name}: the member is gone`);

const lostPromises = (old, now, path) =>
  [...new Set(old.required ?? [])]
    .filter((name) => now.properties?.[name] !== undefined && !(now.required ?? []).includes(name))
    .map((name) => `${path}.${name}: the member can be absent now`);

/** The forms of `anyOf`, matched by their places. */
function compareForms(old, now, path, within) {
  const [before, after] = [old.anyOf ?? [], now.anyOf ?? []];
  if (before.length !== after.length && !isOpenWord(old) && !isOpenWord(now))
    return [`${path}: it had ${String(before.length || 1)} forms, and has ${String(after.length || 1)} now`];
  return before.flatMap((part, at) => (after[at] === undefined ? [] : within(part, after[at], path)));
}

const isOpenWord = ({ type, anyOf }) => type === 'string' && anyOf?.length === 2;
