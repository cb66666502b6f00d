import type { ErrorNumber } from '../../../shared/loyalty/error-codes.ts';
import { errorNames } from '../../../shared/loyalty/error-codes.ts';
import type { OperationId } from '../../../shared/loyalty/operations.ts';
import {
  toFailure,
  toListEnvelope,
  toMovedEnvelope,
  toProductEnvelope,
  toProductPointsEnvelope,
  toSimpleEnvelope,
} from '../program/envelopes.ts';
import { refuse } from '../program/outcome.ts';
import type { SandboxSettings } from '../settings.ts';

/** Reports an error on demand as the operation would report one of its own. */
export function answerBusinessError(
  settings: SandboxSettings,
  operation: OperationId,
  code: ErrorNumber,
): unknown {
  const refusal = refuse(code, `A fault on demand: ${errorNames[code]}.`);
  switch (operation) {
    case 'updateProduct':
      return toProductEnvelope(refusal, settings);
    case 'calculateProductPoints':
      return toProductPointsEnvelope({
        kind: 'refused',
        errors: [{ Description: code, Field: '', FieldText: refusal.message }],
      });
    case 'createCoupon':
    case 'deactivateCoupon':
    case 'getCoupon':
    case 'listRewardConfigurations':
    case 'listPointsHistory':
    case 'listCustomersReport':
      return toListEnvelope(refusal, settings);
    case 'redeemReward':
    case 'listTiers':
    case 'getOrder':
    case 'listAvailableRewards':
    case 'startChallenge':
    case 'validateChallenge':
    case 'getRedeemedReward':
    case 'getCustomerPoints':
      return toFailure(refusal);
    case 'changeCashback':
    case 'partiallyCancelOrder':
    case 'partiallyCancelPosOrder':
    case 'cancelRedemption':
    case 'cancelRedemptionByKey':
    case 'upsertCustomer':
    case 'changeCustomerStatus':
      return toMovedEnvelope(refusal, settings);
    case 'sendOrder':
    case 'cancelPosOrder':
    case 'cancelOrder':
    case 'completeOrder':
    case 'redeemRewardByKey':
    case 'getCustomer':
    case 'getRewardConfiguration':
    case 'updateRewardMetadata':
    case 'listQuizzes':
    case 'answerQuiz':
      return toSimpleEnvelope(refusal);
  }
}
