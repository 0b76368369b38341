/**
 * Returns a function that formats the header Date of answers: `milliseconds` since the epoch. The texts are made once a second,
 * because many answers have the same.
 */
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
