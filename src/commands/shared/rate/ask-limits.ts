/** From which cost a create or a start is asked about on a terminal, in US dollars. */
export const ASK_PER_HOUR = 5;
export const ASK_PER_MONTH = 50;

/** Whether a person is asked about a cost an hour, in US dollars; one that is not known may be high. */
export const isAskedAbout = (perHour: number | undefined): boolean => perHour === undefined || perHour >= ASK_PER_HOUR;
