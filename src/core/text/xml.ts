import type { XmlElement } from '@rgrove/parse-xml';

export type { XmlElement };

/**
 * Parses a document whose root has one of these names; white space before it is skipped, because some services send it. Fails with an
 * Error for anything that is not well-formed, such as a document that breaks off or an entity that XML itself does not define,
 * and for another root. No entity is expanded that a document declares.
 */
export async function parseDocument(body: Uint8Array, ...roots: readonly string[]): Promise<XmlElement> {
  const { parseXml } = await import('@rgrove/parse-xml');
  const { root: found } = parseXml(Buffer.from(body).toString().trimStart());
  if (found === null || !roots.includes(found.name)) throw new Error(`it has no ${roots[0] ?? 'root'}`);
  return found;
}

/** The child elements of a name. */
export const childrenOf = (element: XmlElement, name: string): readonly XmlElement[] =>
  element.children.filter(
    (child): child is XmlElement => child.type === 'element' && (child as XmlElement).name === name,
  );

/** The text of the first child of a name; undefined without one. */
export const childText = (element: XmlElement, name: string): string | undefined => childrenOf(element, name)[0]?.text;
