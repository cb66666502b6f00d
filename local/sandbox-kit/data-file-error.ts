/** Says in plain words what is wrong with a data file and what to do about it. */
export class DataFileError extends Error {}
