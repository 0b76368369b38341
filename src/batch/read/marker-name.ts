/** The file in a folder of results that says whose they are: it is no input. */
export const MARKER_NAME = 'berth-batch.json';
