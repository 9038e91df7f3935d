/** What a service's image has as `waypost`, for operator.test.ts. */
import { runInContainer } from '../src/index.ts';
import { greetings } from './greet.ts';

process.exitCode = await runInContainer(greetings);
