import { childrenOf, childText, parseDocument } from '../../../core/text/xml.ts';
import { ObjectError } from '../answers/object-error.ts';
import type { Bytes } from '../../../core/unit-types.ts';

/** Largest body of a request that is read whole: 10,000 parts. */
const MAX_BYTES: Bytes = 4_000_000;

/** A part as a request to complete an upload names it. */
export interface GivenPart {
  readonly number: number;
  readonly etag: string;
}

/** The parts that a request to complete an upload names. Throws the refusal of a body that is not such a document. */
export async function parseParts(content: AsyncIterable<Uint8Array>): Promise<readonly GivenPart[]> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw malformed();
    chunks.push(chunk);
  }
  const root = await parseDocument(Buffer.concat(chunks), 'CompleteMultipartUpload').catch(() => {
    throw malformed();
  });
  return childrenOf(root, 'Part').map((part) => {
    const number = childText(part, 'PartNumber') ?? '';
    if (!/^\d{1,5}$/.test(number)) throw malformed();
    return { number: Number(number), etag: childText(part, 'ETag') ?? '' };
  });
}

const malformed = (): ObjectError => new ObjectError(400, 'MalformedXML', 'The document is not the one expected.');
