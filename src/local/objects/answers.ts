import type { LocalAnswer } from '../http/operation.ts';

/** Replaces control characters that XML 1.0 cannot carry. */
const escaped = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex -- they are not allowed in XML
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"\r]/g, (found) => `&#${String(found.charCodeAt(0))};`);

type Content = string | number | boolean | Members;

/** What an element has: an array repeats its element, and what is undefined is left out. */
export interface Members {
  readonly [name: string]: Content | readonly Members[] | undefined;
}

const element = (name: string, content: Content, attributes = ''): string =>
  `<${name}${attributes}>${typeof content === 'object' ? xmlOf(content) : escaped(String(content))}</${name}>`;

const xmlOf = (members: Members): string =>
  Object.entries(members)
    .flatMap(([name, content = []]) => [content].flat().map((each) => element(name, each)))
    .join('');

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';
const XML = { 'content-type': 'application/xml' };

export const answer = (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): LocalAnswer => ({
  status,
  headers,
  body,
});

export const xmlAnswer = (root: string, members: Members): LocalAnswer =>
  answer(200, XML, DECLARATION + element(root, members, NAMESPACE));

export class ObjectError extends Error {
  override readonly name = 'ObjectError';
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const noSuchKey = (): ObjectError => new ObjectError(404, 'NoSuchKey', 'The specified key does not exist.');

export const invalidArgument = (message: string): ObjectError => new ObjectError(400, 'InvalidArgument', message);

export const noSpace = (): ObjectError =>
  new ObjectError(507, 'InsufficientStorage', 'There is no space left on the volume.');

/** Without the name space, as clients expect of errors. */
export const errorAnswer = ({ status, code, message }: ObjectError, resource: string): LocalAnswer =>
  answer(status, XML, DECLARATION + element('Error', { Code: code, Message: message, Resource: resource }));

/** Throws the refusal of other text. */
export function numberOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw invalidArgument(`${text} is not a number.`);
  return Number(text);
}

/** Throws the refusal of an address that is not UTF-8. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ObjectError(400, 'InvalidURI', 'The address is not valid UTF-8.');
  }
}

export const dateOf = (milliseconds: number): string => new Date(milliseconds).toISOString();
