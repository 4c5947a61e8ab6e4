#!/bin/bash -eu
# Makes of each target one program with its seeds, its dictionary and its options, in $OUT.

cd "$SRC/cogwire"
python3 -m pip install .
python3 fuzz/seeds.py "$WORK/seeds"
longest=$(python3 -c 'from fuzz.targets.harness import LONGEST; print(LONGEST)')

for path in fuzz/targets/fuzz_*.py; do
  fuzzer=$(basename -s .py "$path")
  # The name of the core is not in the imports of its tests; the schemas of jsonschema are data.
  compile_python_fuzzer "$path" --paths . --paths src \
    --collect-submodules cogwire --collect-data jsonschema_specifications
  zip --quiet --junk-paths --recurse-paths "$OUT/${fuzzer}_seed_corpus.zip" "$WORK/seeds/${fuzzer#fuzz_}"
  cp fuzz/dictionaries/wire.dict "$OUT/$fuzzer.dict"
  printf '[libfuzzer]\nmax_len = %s\n' "$longest" > "$OUT/$fuzzer.options"
done
