/**
 * What was done about `--resubmit`, in sentences. `found`: expired items whose jobs the service has after all. `mayHaveRun`:
 * some items expired, or are unknown.
 */
export function describeResubmitted(
  count: number,
  found: number,
  onlyError: string | undefined,
  mayHaveRun: boolean,
): readonly string[] {
  const kept = found === 1 ? '1 expired item is' : `${String(found)} expired items are`;
  return [
    ...(found === 0
      ? []
      : [`${kept} not sent again: the service has ${found === 1 ? 'its job' : 'their jobs'} after all`]),
    ...(found > 0 && count === 0 ? [] : [describeSent(count, onlyError, mayHaveRun)]),
  ];
}

function describeSent(count: number, onlyError: string | undefined, mayHaveRun: boolean): string {
  const which = onlyError === undefined ? '' : ' with this error';
  if (count === 0) return `no item to send again${which}`;
  const items = count === 1 ? `1 item${which} is` : `${count} items${which} are`;
  return `${items} sent again${mayHaveRun ? ': some may run twice' : ''}`;
}
