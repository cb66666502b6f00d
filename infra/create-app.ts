import { App, type AppProps, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import cdk from '../cdk.json' with { type: 'json' };

/**
 * Reads the feature flags itself: the command line of CDK hands them over, but a test or the local
 * stack runs without it and must get the same template.
 * See docs/decisions/0028-permissions-are-written-by-hand-and-changes-are-recorded.md.
 */
export function createApp(
  props: Pick<AppProps, 'outdir' | 'builtinCloudFormationValidation'> = {},
): App {
  const app = new App({ ...props, context: cdk.context, analyticsReporting: false });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return app;
}
