#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A photographer follows docs/how-to/run-a-model-on-a-photo.md: the best classes of a picture, with their names."""
from journey import Journey

journey = Journey()
journey.follow("docs/how-to/run-a-model-on-a-photo.md")
journey.sees("input image: photo.png 160x120, cropped and resized to 96x96", "class  label", " name ")
journey.run("okksim run net/model.tosa --input image=photo.png --resize fit --top 1", folder="build/photo")
journey.sees("resized with black edges to 96x96", "pixel / 255", "best classes of logits")
journey.run("head -c 100 photo.png > cut.png; okksim run net/model.tosa --input cut.png", exit_code=2, folder="build/photo")
journey.sees("cut.png", "the PNG picture is damaged")
journey.end()
