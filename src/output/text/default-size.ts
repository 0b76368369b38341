/** The size that is assumed for a terminal that does not report its own. */
export const DEFAULT_COLUMNS = 80;
export const DEFAULT_ROWS = 24;
