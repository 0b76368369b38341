/**
 * The two parts of `NAME:PATH`; undefined for a local path: what has a slash before its colon, or is a drive of Windows, is one.
 */
export function splitPlace(text: string): { readonly name: string; readonly path: string } | undefined {
  const colon = text.indexOf(':');
  const isLocal = colon < 0 || /[/\\]/.test(text.slice(0, colon)) || /^[A-Za-z]:[/\\]/.test(text);
  return isLocal ? undefined : { name: text.slice(0, colon), path: text.slice(colon + 1) };
}
