/**
 * On every discount that the connector makes for a redeemed reward (`tags` of the discount's input), so
 * that its codes are recognised and never mirrored back. A tag, because a merchant sees it, can search
 * for it, and it needs no further scope; a title belongs to the merchant, a metafield is out of sight.
 */
export const REWARD_TAG = 'loyalty-connector-reward';
