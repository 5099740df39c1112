CREATE TABLE "unfound_questions" (
	"words" text NOT NULL,
	"searched" text NOT NULL,
	"nothing" bigint NOT NULL,
	"partial" bigint NOT NULL,
	"last_day" date NOT NULL,
	CONSTRAINT "unfound_questions_words_searched_pk" PRIMARY KEY("words","searched")
);
--> statement-breakpoint
CREATE INDEX "unfound_questions_day" ON "unfound_questions" USING btree ("last_day");