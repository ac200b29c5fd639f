// Runs models with ONNX Runtime's WebAssembly build: ort.mjs MODULES FOLDER, where
// FOLDER/list.json says what to read and where to write. What it refuses is told in
// FOLDER/refused.json.
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, folder] = process.argv.slice(2);
const require = createRequire(pathToFileURL(join(resolve(modules), 'package.json')));
const ort = require('onnxruntime-web');
const arrays = {
	float32: Float32Array,
	int8: Int8Array,
	uint8: Uint8Array,
	int32: Int32Array,
	int64: BigInt64Array,
};

async function run(job) {
	const session = await ort.InferenceSession.create(readFileSync(join(folder, job.model)), {
		executionProviders: ['wasm'],
		graphOptimizationLevel: 'all',
		logSeverityLevel: 4,
	});
	const feeds = {};
	for (const input of job.inputs) {
		const bytes = Uint8Array.from(readFileSync(join(folder, input.file)));
		feeds[input.name] = new ort.Tensor(
			input.type, new arrays[input.type](bytes.buffer), input.shape);
	}
	const results = await session.run(feeds);
	for (const output of job.outputs) {
		const { buffer, byteOffset, byteLength } = results[output.name].data;
		writeFileSync(join(folder, output.file), new Uint8Array(buffer, byteOffset, byteLength));
	}
	await session.release();
}

ort.env.wasm.numThreads = 1;
ort.env.logLevel = 'fatal';
const refused = {};
for (const job of JSON.parse(readFileSync(join(folder, 'list.json'))))
	await run(job).catch((error) => {
		refused[job.model] = String(error.message ?? error).slice(0, 400);
	});
writeFileSync(join(folder, 'refused.json'), JSON.stringify(refused));
