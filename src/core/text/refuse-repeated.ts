import { usage } from '../failure.ts';

/** Refuses a flag of several NAME=VALUE texts that gives one name twice: usage (2). A name has one value. */
export function refuseRepeated(flag: string, texts: readonly string[]): void {
  const names = texts.map((text) => text.split('=', 1)[0] ?? '');
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw usage(`${flag} gives ${twice} twice`, 'It has one value: keep one of them.');
}
