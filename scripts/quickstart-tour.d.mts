export declare const TOUR: readonly {
  readonly title: string;
  readonly commands: readonly { readonly words: readonly string[]; readonly code: number }[];
}[];
