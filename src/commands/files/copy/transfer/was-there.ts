/** What was at the target of a copy: nothing, another content, or the same, so that nothing was sent. */
export type WasThere = 'nothing' | 'other' | 'same';
