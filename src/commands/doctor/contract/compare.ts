/** What is different in a document that the service publishes, and whether that can make berth wrong. */
import { encodeJson, numberOf, stringAt, type Json } from '../../../core/json.ts';
import { looksLikePages } from '../../../cli/run/context/unknown-paging.ts';
import { operationsOf, type DocumentedOperation } from './operations.ts';
import { shapesOf, type Shape, type ShapeOf } from './shape.ts';

export interface Difference {
  /** The first operation in which it was found. */
  readonly operation: string;
  /** What is different, such as `body gpu.count: required now`. */
  readonly what: string;
  /** Whether berth can send or conclude something wrong because of it. */
  readonly canBeWrong: boolean;
  /** The further operations that have the same difference. */
  readonly alsoIn: number;
}

export interface Comparison {
  /** The operations that berth was built from, and how many of them the other document has. */
  readonly known: number;
  readonly found: number;
  readonly differences: readonly Difference[];
}

/** What berth sends or reads. What may be sent must not get narrower, and what is read must not get wider. */
type Side = 'request' | 'answer';

/** Where in a document a schema is. */
interface Place {
  readonly side: Side;
  /** `body gpu.count`, for a person. */
  readonly path: string;
  /** The last named schema above it and the way from there: the same in all operations that use that schema. */
  readonly anchor: string;
  /** Whether new members may say that a list has further pages. */
  readonly mayPage: boolean;
}

/** Deeper than any schema of the service; it ends schemas that contain themselves. */
const MAX_DEPTH = 24;

/** Compares by meaning: prose, examples, operation ids, names of schemas, errors and order do not count. Fails as `ShapeOf` does. */
export function compareDocuments(own: Json, published: Json): Comparison {
  const ours = operationsOf(own);
  const theirs = operationsOf(published);
  const differences = new Map<string, Difference>();
  const shapes = { own: shapesOf(own), published: shapesOf(published) };
  let found = 0;
  const noting = (operation: string) => (anchor: string, what: string, canBeWrong: boolean) => {
    const key = encodeJson([anchor, what.slice(what.indexOf(':'))]);
    const before = differences.get(key);
    if (before === undefined) differences.set(key, { operation, what, canBeWrong, alsoIn: 0 });
    else if (before.operation !== operation) differences.set(key, { ...before, alsoIn: before.alsoIn + 1 });
  };
  for (const [key, operation] of ours) {
    const other = theirs.get(key);
    const note = noting(operation.name);
    if (other === undefined) note(key, 'the operation is gone', true);
    else {
      found++;
      compareOperations(operation, other, shapes, note);
    }
  }
  for (const [key, { name }] of theirs)
    if (!ours.has(key)) noting(name)(key, 'a new operation, which berth does not know', false);
  return { known: ours.size, found, differences: [...differences.values()] };
}

type Note = (anchor: string, what: string, canBeWrong: boolean) => void;

interface Shapes {
  readonly own: ShapeOf;
  readonly published: ShapeOf;
}

function compareOperations(ours: DocumentedOperation, theirs: DocumentedOperation, shapes: Shapes, note: Note): void {
  const { name } = ours;
  const isRead = name.startsWith('GET ');
  const compare = (side: Side, path: string, own: Json | undefined, published: Json | undefined) => {
    compareSchemas({ side, path, anchor: `${name} ${path}`, mayPage: isRead }, own, published, shapes, note);
  };
  compare('request', 'parameter', ours.parameters, theirs.parameters);
  if (ours.body !== undefined && theirs.body !== undefined) compare('request', 'body', ours.body, theirs.body);
  else if (ours.body !== undefined) note(`${name} body`, 'body: JSON is no longer taken', true);
  else if (theirs.body !== undefined)
    note(
      `${name} body`,
      `body: new, and berth sends none${theirs.bodyRequired ? '; it is required' : ''}`,
      theirs.bodyRequired,
    );
  for (const [status, schema] of ours.answers) {
    if (!theirs.answers.has(status)) note(`${name} ${status}`, `answer ${status}: gone`, true);
    else if (schema !== undefined) {
      const other = theirs.answers.get(status);
      if (other === undefined) note(`${name} ${status}`, `answer ${status}: no JSON any more`, true);
      else compare('answer', 'answer', schema, other);
    }
  }
  for (const status of theirs.answers.keys())
    if (!ours.answers.has(status)) note(`${name} ${status}`, `answer ${status}: new, and berth does not know it`, true);
}

function compareSchemas(
  place: Place,
  ownSchema: Json | undefined,
  publishedSchema: Json | undefined,
  shapes: Shapes,
  note: Note,
  depth = 0,
): void {
  if (depth > MAX_DEPTH) return;
  const own = shapes.own(ownSchema);
  const published = shapes.published(publishedSchema);
  const at: Place = { ...place, anchor: anchorOf(place, ownSchema) };
  compareValues(at, own, published, note);
  for (const [name, schema] of own.members) {
    const other = published.members.get(name);
    const inner: Place = {
      ...at,
      path: pathOf(at.path, name),
      anchor: `${at.anchor}.${name}`,
      mayPage: at.mayPage && name === 'pagination',
    };
    if (other === undefined) {
      note(inner.anchor, `${inner.path}: gone`, true);
      continue;
    }
    compareRequired(inner, own.required.has(name), published.required.has(name), note);
    compareSchemas(inner, schema, other, shapes, note, depth + 1);
  }
  for (const name of published.members.keys())
    if (!own.members.has(name)) noteNewMember(at, name, published.required.has(name), note);
  if (own.items !== undefined && published.items !== undefined)
    compareSchemas(
      { ...at, path: `${at.path}[]`, anchor: `${at.anchor}[]`, mayPage: false },
      own.items,
      published.items,
      shapes,
      note,
      depth + 1,
    );
}

/** A schema with a name is compared in the same way wherever it is used. */
function anchorOf({ side, anchor }: Place, schema: Json | undefined): string {
  const reference = stringAt(schema, '$ref');
  return reference === undefined ? anchor : `${side} ${reference}`;
}

const pathOf = (path: string, name: string): string =>
  /^(parameter|body|answer)$/.test(path) ? `${path} ${name}` : `${path}.${name}`;

function noteNewMember(place: Place, name: string, required: boolean, note: Note): void {
  const path = pathOf(place.path, name);
  const anchor = `${place.anchor}.${name}`;
  if (place.mayPage && looksLikePages(name))
    note(anchor, `${path}: new, and looks like pages: a list may be incomplete`, true);
  else if (place.side === 'request' && required)
    note(anchor, `${path}: new and required, and berth does not send it`, true);
  else note(anchor, `${path}: new, and berth does not know it`, false);
}

function compareRequired({ side, path, anchor }: Place, before: boolean, now: boolean, note: Note): void {
  if (before === now) return;
  if (side === 'request') note(anchor, `${path}: ${now ? 'required now' : 'no longer required'}`, now);
  else note(anchor, `${path}: ${now ? 'always there now' : 'may be absent now'}`, !now);
}

function compareValues(place: Place, own: Shape, published: Shape, note: Note): void {
  const { side, path, anchor } = place;
  const noteSet = (label: string, before: ReadonlySet<string>, now: ReadonlySet<string>, addedIsWrong: boolean) => {
    const added = [...now].filter((value) => !before.has(value));
    const gone = [...before].filter((value) => !now.has(value));
    if (added.length > 0) note(anchor, `${path}: new ${label} ${added.join(', ')}`, addedIsWrong);
    if (gone.length > 0) note(anchor, `${path}: ${label} ${gone.join(', ')} gone`, side === 'request');
  };
  if (own.types.size > 0 && published.types.size > 0) noteSet('type', own.types, published.types, side === 'answer');
  if (own.values !== undefined && published.values !== undefined)
    // From a state berth concludes whether something has ended; other values are printed as they are.
    noteSet('value', own.values, published.values, side === 'answer' && /status$/i.test(path));
  else if (own.values === undefined && published.values !== undefined)
    note(anchor, `${path}: only ${[...published.values].join(', ')} now`, side === 'request');
  else if (own.values !== undefined) note(anchor, `${path}: any value now`, side === 'answer' && /status$/i.test(path));
  for (const keyword of new Set([...own.bounds.keys(), ...published.bounds.keys()])) {
    const before = own.bounds.get(keyword);
    const now = published.bounds.get(keyword);
    const [was, is] = [shown(before), shown(now)];
    if (was !== is)
      note(anchor, `${path}: ${keyword} ${is}, was ${was}`, side === 'request' && !isLooser(keyword, before, now));
  }
}

const shown = (bound: Json | undefined): string => (bound === undefined ? 'none' : encodeJson(bound));

/** Whether everything that was allowed is allowed now. */
function isLooser(keyword: string, before: Json | undefined, now: Json | undefined): boolean {
  if (now === undefined) return true;
  const [was, is] = [numberOf(before), numberOf(now)];
  if (was === undefined || is === undefined) return false;
  return /^(exclusiveM|m)in/.test(keyword) ? is < was : /^(exclusiveM|m)ax/.test(keyword) && is > was;
}
