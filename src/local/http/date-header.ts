/** Milliseconds since the epoch. Formatted once a second: many answers have the same Date. */
export function createDateHeader(): (milliseconds: number) => string {
  let second = Number.NaN;
  let text = '';
  return (milliseconds) => {
    const next = Math.floor(milliseconds / 1000);
    if (next !== second) {
      second = next;
      text = new Date(milliseconds).toUTCString();
    }
    return text;
  };
}
