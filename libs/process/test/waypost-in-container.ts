/** operator.test.ts runs this program, as the image of a service runs `waypost`. */
import { runInContainer } from '@waypost/operator/program';
import { greetings } from './greet.ts';

process.exitCode = await runInContainer(greetings);
