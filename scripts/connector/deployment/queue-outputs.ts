/** The outputs of the stack that name a queue and its dead letters. */
export const QUEUE_OUTPUTS = {
  orders: { queue: 'OrdersQueueUrl', letters: 'OrdersDeadLetterQueueUrl' },
  products: { queue: 'ProductsQueueUrl', letters: 'ProductsDeadLetterQueueUrl' },
  coupons: { queue: 'CouponsQueueUrl', letters: 'CouponsDeadLetterQueueUrl' },
  balances: { queue: 'BalancesQueueUrl', letters: 'BalancesDeadLetterQueueUrl' },
} as const;
