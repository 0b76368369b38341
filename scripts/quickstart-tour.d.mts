export declare class Unexpected extends Error {}
export declare function tour(
  run: {
    readonly berth: (words: readonly string[], code?: number) => Promise<unknown>;
    readonly read: (words: readonly string[]) => Promise<string>;
  },
  say: (text: string) => void,
): Promise<void>;
