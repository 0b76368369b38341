export interface XmlElement {
  readonly name: string;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

interface OpenElement {
  readonly name: string;
  readonly children: XmlElement[];
  text: string;
}

/** Skips leading white space, which some services send. Expands no declared entity. Fails with an Error. */
export async function parseDocument(body: Uint8Array, ...roots: readonly string[]): Promise<XmlElement> {
  const { SaxesParser } = await import('saxes');
  const parser = new SaxesParser();
  const top: OpenElement = { name: '', children: [], text: '' };
  const open = [top];
  const add = (text: string): void => {
    const last = open.at(-1);
    if (last !== undefined) last.text += text;
  };
  parser.on('opentag', ({ name }) => {
    const element = { name, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', () => void open.pop());
  parser.write(new TextDecoder().decode(body).trimStart()).close();
  const [found] = top.children;
  if (found === undefined || !roots.includes(found.name)) throw new Error(`it has no ${roots[0] ?? 'root'}`);
  return found;
}

export const childrenOf = (element: XmlElement, name: string): readonly XmlElement[] =>
  element.children.filter((child) => child.name === name);

export const childText = (element: XmlElement, name: string): string | undefined =>
  element.children.find((child) => child.name === name)?.text;
