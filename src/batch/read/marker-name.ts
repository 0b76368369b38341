/** The file in a folder of results that says whose they are. */
export const MARKER_NAME = 'berth-batch.json';
