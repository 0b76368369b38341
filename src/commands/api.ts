import { berth, sentence } from '../core/message.ts';
import { destroysAnything } from '../core/access.ts';
import { usage } from '../core/failure.ts';
import { encodeJson, type Json, type JsonObject, jsonOrText, memberAt, stringOf } from '../core/json.ts';
import type { ApiRequest, Method, ServiceName } from '../core/api.ts';
import { ask } from '../cli/ask.ts';
import { defineCommand, yesOption } from '../cli/model/command.ts';
import { type CommandContext, isForPerson } from '../cli/model/context.ts';
import { checkedJsonText, readInputBytes } from './jobs/input.ts';
import { arg, option } from '../cli/model/params.ts';
import { readAnyList } from '../cli/resource/pages.ts';
import { ANYTHING } from '../cli/model/output-schema.ts';
import { answerResult, type View } from '../output/view.ts';
import { namedValues } from '../core/text.ts';

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const SERVICES: readonly ServiceName[] = ['base', 'queue', 'rest'];

export const api = defineCommand({
  output: () => ANYTHING,
  summary: 'call any operation of the service',
  details:
    'Fields go into the query of a GET, else into a JSON body; a name given twice becomes an array. Requests that destroy (DELETE, PUT, purge, terminate) ask first.',
  args: {
    method: arg.optional('the HTTP method (default GET)', { choices: METHODS }),
    path: arg.text('the path below the address, such as /v2/pods'),
  },
  options: {
    service: option.choice('which address', SERVICES, { initial: 'base' }),
    field: option.texts('a member or query parameter; JSON values are read as JSON', {
      short: '-F',
      metavar: 'NAME=VALUE',
    }),
    input: option.text('the body: JSON, @FILE, or - for stdin', { metavar: 'JSON', complete: '@file' }),
    paginate: option.on('read all pages of a list, and print it as one document'),
    rawBody: option.on('write the bytes of the answer as they came, whatever they are'),
    header: option.texts('a header of the request', { short: '-H', metavar: 'NAME:VALUE' }),
    yes: yesOption,
  },
  writes: true,
  destroys: true,
  needs: ({ method = 'GET' }) => (method === 'GET' ? 'read' : 'write'),
  examples: [
    ['berth api /v2/pods --paginate --jq ".pods[].id" --raw', 'the ids of all pods'],
    [
      'berth api POST /v2/network-volumes -F name=data -F size=100 -F dataCenter=EU-NORTH-1 --dry-run',
      'see the request first',
    ],
  ],
  run: async (ctx, values) => {
    const { method = 'GET', service = 'base' } = values;
    const { path, query } = splitPath(values.path);
    const fields = values.field.map(typedField);
    const request: ApiRequest = {
      service,
      method,
      path,
      query: byName(method === 'GET' ? [...query, ...fields.map(asText)] : query),
      // Any content type is accepted.
      headers: { accept: 'application/json, application/problem+json, */*', ...headersOf(values.header) },
      expects: values.rawBody ? 'bytes' : 'anything',
      ...(await bodyOf(ctx, method, fields, values)),
      isRecorded: true,
    };
    if (values.paginate && method !== 'GET') throw usage('--paginate is for GET', 'Other requests have no pages.');
    if (values.paginate && values.rawBody) throw usage('--paginate and --raw-body exclude each other');
    if (destroysAnything(request)) await ask(ctx, { line: `${method} /${path.join('/')} may destroy something.` });
    const answer = values.paginate ? await readAnyList(ctx.api, request) : await ctx.api.send(request);
    if ('bytes' in answer) {
      await ctx.rawOutput.write(answer.bytes);
      return { kind: 'nothing' };
    }
    if ('document' in answer) return { kind: 'one', view, value: answer.document };
    if (answer.value === undefined) {
      const notes = answer.text === '' && isForPerson(ctx) ? [`The service answered ${answer.status}.`] : [];
      return { kind: 'text', text: answer.text, notes };
    }
    const isPage = memberAt(answer.value, 'pagination.hasNextPage') === true;
    return {
      ...answerResult(view, answer),
      notes: isPage ? ['This is one page of the list: --paginate reads all.'] : [],
    };
  },
});

const view: View = { noun: ['document', 'documents'], id: (row) => encodeJson(row), columns: [] };

type Field<T> = readonly [name: string, value: T];

/** Decoded; the request encodes again. Usage (2) for a full URL: the key goes only to profile addresses. */
function splitPath(path: string) {
  if (/^(?:[a-z][a-z\d+.-]*:)?\/\//i.test(path))
    throw usage('this takes a path, not an address', 'Write what comes after the host, such as /v2/pods.');
  const [before = '', ...after] = path.split('?');
  const segments = before.replace(/^\//, '').split('/');
  try {
    return {
      path: segments.map((segment) => decodeURIComponent(segment)),
      query: [...new URLSearchParams(after.join('?'))],
    };
  } catch {
    throw usage(`the path has a broken escape: ${JSON.stringify(path)}`, 'Write % as %25.');
  }
}

function nameAndValue(text: string, separator: string): Field<string> {
  const at = text.indexOf(separator);
  if (at < 1) throw usage(`${JSON.stringify(text)} is not NAME${separator}VALUE`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function typedField(field: string): Field<Json> {
  const [name, text] = nameAndValue(field, '=');
  return [name, jsonOrText(text)];
}

const asText = ([name, value]: Field<Json>): Field<string> => [name, stringOf(value) ?? encodeJson(value)];

function byName<T>(fields: readonly Field<T>[]): Readonly<Record<string, readonly T[]>> {
  const values = new Map<string, T[]>();
  for (const [name, value] of fields) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries(values);
}

/** A repeated name gets an array of its values. */
const objectOf = (fields: readonly Field<Json>[]): JsonObject =>
  Object.fromEntries(
    Object.entries(byName(fields)).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );

function headersOf(lines: readonly string[]): Record<string, string> {
  return namedValues(
    '--header',
    lines.map((line) => {
      const [name, value] = nameAndValue(line, ':');
      if (name.trim().toLowerCase() === 'authorization')
        throw usage(
          'the key is not given as a header',
          sentence`It comes from the profile or the environment: see ${berth`auth status`}.`,
        );
      return [name.trim().toLowerCase(), value.trim()];
    }),
  );
}

/** JSON is validated and sent as written; with another content type, bytes are sent unchanged. */
async function bodyOf(
  ctx: CommandContext,
  method: Method,
  fields: readonly Field<Json>[],
  { input, header }: { readonly input: string | undefined; readonly header: readonly string[] },
): Promise<Pick<ApiRequest, 'body'>> {
  if (input === undefined) return method === 'GET' || fields.length === 0 ? {} : { body: objectOf(fields) };
  if (method === 'GET') throw usage('a GET has no body', 'Use --field for its query.');
  if (fields.length > 0) throw usage('--input and --field are both given', 'Keep one of them.');
  const given = await readInputBytes(ctx.files, input);
  const type = headersOf(header)['content-type'] ?? 'application/json';
  return { body: { raw: type.includes('json') ? new TextEncoder().encode(checkedJsonText(given)) : given.bytes } };
}
