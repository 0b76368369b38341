/** From which cost a create is asked about on a terminal, in US dollars: docs/decisions/0048. */
export const ASK_PER_HOUR = 5;
export const ASK_PER_MONTH = 50;
