import { json, problem, type Behaviour } from './scripted-server.ts';

/** A row of a list. */
export type PagedRow = Readonly<Record<string, unknown>>;

/** The ways in which the pages of a list are broken, from its second page on. */
export const PAGE_FAULTS = [
  'a page that fails',
  'a page that is not found',
  'a cursor that came before',
  'another page without a cursor',
  'an empty cursor',
  'no word on further pages',
  'a text for hasNextPage',
  'no pagination on a later page',
  'as many rows as a page has, without pagination',
] as const;
export type PageFault = (typeof PAGE_FAULTS)[number];

interface PagedServiceOptions {
  /** The rows of each list, by its path and member: `/v2/pods` has `pods`. */
  readonly lists: Readonly<Record<string, { readonly member: string; readonly rows: () => readonly PagedRow[] }>>;
  readonly fault?: PageFault;
  /** Answers everything that is no list. */
  readonly otherwise: Behaviour;
}

/**
 * A service whose lists come in pages, after the additions to the contract (1) and not after berth's local service. A
 * cursor is the place of a row by its position in time, so that rows which come and go move no others.
 */
export const pagedService =
  ({ lists, fault, otherwise }: PagedServiceOptions): Behaviour =>
  (exchange) => {
    const { method, url } = exchange.arrival;
    const { pathname, searchParams } = new URL(url, 'http://service');
    const list = method === 'GET' ? lists[pathname] : undefined;
    if (list === undefined) {
      otherwise(exchange);
      return;
    }
    const cursor = searchParams.get('cursor');
    searchParams.delete('cursor');
    const asked = `${pathname}?${searchParams.toString()}`;
    const place = cursor === null ? undefined : placeOf(cursor, asked);
    if (place === null) {
      problem(422, 'the cursor is of another list')(exchange);
      return;
    }
    const number = (place?.page ?? 0) + 1;
    const rows = list.rows();
    const from = place === undefined ? 0 : rows.findIndex((row) => Number(row['at']) < place.after);
    const rest = from < 0 ? [] : rows.slice(from);
    const size = Number(searchParams.get('limit') ?? 100);
    const page = rest.slice(0, size);
    const hasNextPage = rest.length > size;
    const last = page.at(-1);
    const nextCursor = hasNextPage ? cursorOf({ asked, page: number, after: Number(last?.['at']) }) : null;
    const whole = { [list.member]: page, pagination: { nextCursor, hasNextPage } };
    if (fault === undefined) json(whole)(exchange);
    else broken(fault, { whole, member: list.member, number, cursor, rows })(exchange);
  };

interface Place {
  readonly asked: string;
  readonly page: number;
  readonly after: number;
}

const cursorOf = (place: Place): string => Buffer.from(JSON.stringify(place)).toString('base64url');

/** Null for the cursor of another list or of other parameters. */
function placeOf(cursor: string, asked: string): Place | null {
  try {
    const place = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Place;
    return place.asked === asked ? place : null;
  } catch {
    return null;
  }
}

interface SentPage {
  readonly whole: Readonly<Record<string, unknown>>;
  readonly member: string;
  /** From 1. */
  readonly number: number;
  readonly cursor: string | null;
  /** All rows of the list. */
  readonly rows: readonly PagedRow[];
}

function broken(fault: PageFault, { whole, member, number, cursor, rows }: SentPage): Behaviour {
  const saying = (pagination: unknown): Behaviour => json({ ...whole, pagination });
  if (fault === 'as many rows as a page has, without pagination') {
    const more = (at: number): PagedRow => ({ id: `more-${String(at)}`, name: `more-${String(at)}` });
    return json({ [member]: Array.from({ length: 1000 }, (_, at) => rows[at] ?? more(at)) });
  }
  if (number === 1) return json(whole);
  switch (fault) {
    case 'a page that fails':
      return problem(500, 'the database is gone');
    case 'a page that is not found':
      return problem(404, 'the page is gone');
    case 'a cursor that came before':
      return saying({ nextCursor: cursor, hasNextPage: true });
    case 'another page without a cursor':
      return saying({ nextCursor: null, hasNextPage: true });
    case 'an empty cursor':
      return saying({ nextCursor: '', hasNextPage: true });
    case 'no word on further pages':
      return saying({ nextCursor: null });
    case 'a text for hasNextPage':
      return saying({ nextCursor: null, hasNextPage: 'false' });
    case 'no pagination on a later page':
      return saying(undefined);
  }
}
