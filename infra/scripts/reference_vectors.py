"""Make tests/data/reference_vectors.json: what sentence-transformers on torch says about fifty texts.

The ONNX embedder is compared with these vectors in every test run, so the comparison needs no torch. This script
makes a temporary virtual environment, installs sentence-transformers there (several GB, deleted afterwards), loads
the weights from the installed model package with the hub switched off, and writes the vectors with nine significant
digits, which is what a 32-bit float needs to be read back exactly.

    python infra/scripts/reference_vectors.py [OUTPUT]
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import venv
from importlib import metadata
from pathlib import Path
from typing import Final

OUTPUT: Final = Path(__file__).resolve().parents[2] / "tests" / "data" / "reference_vectors.json"
ENCODE: Final = "--encode"

TEXTS: Final = (
    "",
    " ",
    "\n\t\n",
    ".",
    "?!…",
    "a",
    "Hi",
    "OK, see you at 7:30!",
    "The quick brown fox jumps over the lazy dog.",
    "the quick brown fox jumps over the lazy dog",
    "My sister Ingrid moved to Bergen last spring and works as a marine biologist.",
    "Who is the marine biologist in the family?",
    "When did we last talk about the broken dishwasher?",
    "I never eat peanuts; please remember that for every recipe.",
    "I prefer short answers, in bullet points, without emojis.",
    "Remind me to call the dentist on the 14th of March 2031 at 09:15.",
    "The meeting was moved from Tuesday to Thursday because Omar was ill.",
    "We cancelled the trip to Lisbon and booked Porto instead.",
    "Pi is roughly 3.14159265358979, and e is 2.718281828.",
    "Invoice #2024-00317: 1,299.00 EUR, due in 30 days.",
    "https://example.org/a/very/long/path?with=query&and=fragments#section-2",
    'user@example.com wrote: "it\'s broken" (again)',
    "SELECT name FROM users WHERE id = 42; -- DROP TABLE users",
    "def fibonacci(n): return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)",
    '{"role": "user", "content": "nested \\"quotes\\" and \\n escapes"}',
    "<p>Some <b>markup</b> &amp; entities</p>",
    "# Heading\n\n- first item\n- second item\n\n> a quotation",
    "UPPER CASE SHOUTING ABOUT NOTHING",
    "naïve café façade, jalapeño and crème brûlée",
    "nai\u0308ve cafe\u0301 with combining accents",
    "Größe, Straße, Übermut und Äpfel im Frühjahr",
    "Где находится ближайшая станция метро?",
    "Πού είναι η βιβλιοθήκη;",
    "今日は天気がいいので、公園を散歩しました。",
    "我昨天在北京见到了老朋友。",
    "오늘 저녁에 김치찌개를 먹었어요.",
    "أين يقع المطار الدولي؟",
    "מתי נפגשים מחר בבוקר?",
    "मुझे हिंदी में एक कविता सुनाओ।",
    "วันนี้อากาศดีมาก",
    "🎉🎂 Happy birthday!! 🥳",
    "👩‍👩‍👧‍👦 family time 🏳️‍🌈 and a flag 🇳🇴",
    "😀",
    "control\u0000characters\u0007and\u200bzero\u200dwidth\ufeffmarks",
    "[CLS] special [SEP] tokens [MASK] in the text [PAD] [UNK]",
    "antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis",
    "x" * 101,
    "word " * 254,
    "The committee met again, argued about the budget, and postponed the decision until the harvest was in. " * 20,
    "One line of a long letter that nobody will read to its end, 第二行, третья строка, and a smile 🙂.\n" * 120,
)


def encode(folder: Path, output: Path) -> None:
    """Inside the temporary environment: encode TEXTS with the model in `folder` and write `output`."""
    sentence_transformers = importlib.import_module("sentence_transformers")
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu")
    vectors = model.encode(list(TEXTS), batch_size=1, convert_to_numpy=True)
    document = {
        "model": "sentence-transformers/all-MiniLM-L6-v2",
        "made_with": {name: metadata.version(name) for name in ("sentence-transformers", "transformers", "torch")},
        "max_seq_length": model.max_seq_length,
        "rows": [
            {"text": text, "vector": [float(f"{value:.9g}") for value in vector.tolist()]}
            for text, vector in zip(TEXTS, vectors, strict=True)
        ],
    }
    output.write_text(json.dumps(document, indent=0, ensure_ascii=True) + "\n", encoding="ascii")


def main(output: Path) -> None:
    """Make the temporary environment, encode in it, remove it. Raises CalledProcessError when a step fails."""
    from ragpp.embedding.checkpoint import installed_checkpoint  # noqa: PLC0415 - absent in the temporary environment

    checkpoint = installed_checkpoint()
    for file in (checkpoint.weights, checkpoint.tokenizer):
        print(f"verified {file.name}")
    with tempfile.TemporaryDirectory(prefix="reference-vectors-") as folder:
        print(f"installing sentence-transformers in {folder}")
        venv.create(folder, with_pip=True)
        python = str(Path(folder) / "bin" / "python")
        pip = [python, "-m", "pip", "install", "--quiet", "--no-cache-dir", "--disable-pip-version-check"]
        subprocess.run([*pip, "sentence-transformers>=5"], check=True)
        offline = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
        command = [python, str(Path(__file__).resolve()), ENCODE, str(checkpoint.folder), str(output)]
        subprocess.run(command, check=True, env=offline)
    print(f"wrote {len(TEXTS)} vectors to {output}")


if __name__ == "__main__":
    if sys.argv[1:2] == [ENCODE]:
        encode(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT)
