import type { ErrorNumber } from '../../../shared/loyalty/error-codes.ts';
import { errorCodes } from '../../../shared/loyalty/error-codes.ts';
import type { OperationId } from '../../../shared/loyalty/operations.ts';
import {
  toFailure,
  toListEnvelope,
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
  const refusal = refuse(code, `A fault on demand: ${errorCodes[code].name}.`);
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
    case 'listRewardConfigurations':
      return toListEnvelope(refusal, settings);
    case 'redeemReward':
    case 'listTiers':
      return toFailure(refusal);
    case 'sendOrder':
    case 'cancelPosOrder':
    case 'cancelOrder':
    case 'changeCashback':
    case 'getCustomer':
    case 'getRewardConfiguration':
    case 'updateRewardMetadata':
    case 'listQuizzes':
    case 'answerQuiz':
      return toSimpleEnvelope(refusal);
  }
}
