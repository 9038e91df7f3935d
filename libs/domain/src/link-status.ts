export const LINK_STATUSES = ['active', 'flagged', 'revoked'] as const;
export type LinkStatus = (typeof LINK_STATUSES)[number];
