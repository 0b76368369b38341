import { element, xmlDocument } from './xml.ts';

/** A refusal of the S3-compatible interface. */
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

/** The body of a refusal. The name space is left out, as clients expect of errors. */
export const errorDocument = ({ code, message }: ObjectError, resource: string): string =>
  xmlDocument('Error', [element('Code', code), element('Message', message), element('Resource', resource)]).replace(
    / xmlns="[^"]*"/,
    '',
  );
