export interface XmlElement {
  readonly name: string;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

const openElement = (name: string) => ({ name, children: new Array<XmlElement>(), text: '' });

/** V8 puts a longer text among the old objects, where it stays for long. */
const PIECE_BYTES = 64 * 1024;

/** Skips leading white space, which some services send. Expands no declared entity. Fails with an Error. */
export async function parseDocument(body: Uint8Array, ...roots: readonly string[]): Promise<XmlElement> {
  const parser = new (await import('saxes')).SaxesParser();
  const top = openElement('');
  const open = [top];
  const add = (text: string): void => {
    (open.at(-1) ?? top).text += text;
  };
  parser.on('opentag', ({ name }) => {
    const element = openElement(name);
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', () => void open.pop());
  const decoder = new TextDecoder();
  const start = body.findIndex((byte) => byte > 0x20);
  for (let at = Math.max(start, 0); at < body.byteLength; at += PIECE_BYTES)
    parser.write(decoder.decode(body.subarray(at, at + PIECE_BYTES), { stream: true }));
  parser.write(decoder.decode()).close();
  const [found] = top.children;
  if (found === undefined || !roots.includes(found.name)) throw new Error(`it has no ${roots[0] ?? 'root'}`);
  return found;
}

export const childrenOf = ({ children }: XmlElement, name: string) => children.filter((child) => child.name === name);

export const childText = (element: XmlElement, name: string): string | undefined =>
  element.children.find((child) => child.name === name)?.text;
