/**
 * For a server in the process of its tests. By default it would end an idle connection after five seconds, and a
 * process that was busy for that long uses it again before it sees the end: a reset that no test meant.
 */
export const LASTING = { keepAliveTimeout: 0 };
