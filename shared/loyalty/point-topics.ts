/** What a point event can tell of. */
export const pointTopics = ['Point_Add', 'Point_Update', 'Point_Removed'] as const;
export type PointTopic = (typeof pointTopics)[number];
