/** The names of the output formats (`-o`), in the order in which help lists them. */
export const OUTPUT_FORMATS = ['table', 'wide', 'json', 'jsonl', 'yaml', 'csv', 'id'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];
