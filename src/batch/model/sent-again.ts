/** What was done about `--resubmit`: one sentence. `mayHaveRun`: some items expired, or are unknown. */
export function describeResubmitted(count: number, onlyError: string | undefined, mayHaveRun: boolean): string {
  const which = onlyError === undefined ? '' : ' with this error';
  if (count === 0) return `no item to send again${which}`;
  const items = count === 1 ? `1 item${which} is` : `${count} items${which} are`;
  return `${items} sent again${mayHaveRun ? ': some may run twice' : ''}`;
}
