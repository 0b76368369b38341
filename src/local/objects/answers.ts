/** Replaces control characters that XML 1.0 cannot carry. */
const escaped = (text: string): string =>
  text
    // eslint-disable-next-line no-control-regex -- they are not allowed in XML
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"\r]/g, (found) => `&#${String(found.charCodeAt(0))};`);

export interface XmlText {
  readonly xml: string;
}

export const element = (
  name: string,
  content: string | number | boolean | readonly (XmlText | undefined)[] = '',
): XmlText => ({
  xml: `<${name}>${typeof content === 'object' ? content.map((each) => each?.xml ?? '').join('') : escaped(String(content))}</${name}>`,
});

export const xmlDocument = (root: string, content: readonly (XmlText | undefined)[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${element(root, content).xml.replace(`<${root}>`, `<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`)}`;

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

export const notImplemented = (): ObjectError =>
  new ObjectError(501, 'NotImplemented', 'The service does not have this operation.');

/** Without the name space, as clients expect of errors. */
export const errorDocument = ({ code, message }: ObjectError, resource: string): string =>
  xmlDocument('Error', [element('Code', code), element('Message', message), element('Resource', resource)]).replace(
    / xmlns="[^"]*"/,
    '',
  );
