/** Formats the header Date of answers. */
export interface DateHeaders {
  /** `milliseconds` since the epoch. */
  format(milliseconds: number): string;
}

/** The texts are made once a second, because many answers have the same. */
export function createDateHeaders(): DateHeaders {
  let second = Number.NaN;
  let text = '';
  return {
    format: (milliseconds) => {
      const next = Math.floor(milliseconds / 1000);
      if (next !== second) {
        second = next;
        text = new Date(milliseconds).toUTCString();
      }
      return text;
    },
  };
}
