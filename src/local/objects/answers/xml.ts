/** Text that XML 1.0 can carry: other control characters are replaced. */
const escaped = (text: string): string =>
  text
    // eslint-disable-next-line no-control-regex -- they are not allowed in XML
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"\r]/g, (found) => `&#${String(found.charCodeAt(0))};`);

/** An element of an answer as XML. */
export interface XmlText {
  readonly xml: string;
}

/** An element with text, or with other elements; undefined ones are left out. */
export const element = (
  name: string,
  content: string | number | boolean | readonly (XmlText | undefined)[] = '',
): XmlText => ({
  xml: `<${name}>${typeof content === 'object' ? content.map((each) => each?.xml ?? '').join('') : escaped(String(content))}</${name}>`,
});

/** A whole document with the name space of the interface. */
export const xmlDocument = (root: string, content: readonly (XmlText | undefined)[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${element(root, content).xml.replace(`<${root}>`, `<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`)}`;
