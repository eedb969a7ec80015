#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
pthread_barrier_t b;int x[3],serial; void*w(void*a){int i=(long)a;x[i]=i+1; int r=pthread_barrier_wait(&b); if(r==PTHREAD_BARRIER_SERIAL_THREAD) __atomic_add_fetch(&serial,1,5); int s=x[0]+x[1]+x[2]; pthread_barrier_wait(&b); x[i]=0; return (void*)(long)(s!=6);}
int main(){pthread_barrier_init(&b,0,3);pthread_t t[3];long bad=0;for(long i=0;i<3;i++)pthread_create(&t[i],0,w,(void*)i);for(int i=0;i<3;i++){void*r;pthread_join(t[i],&r);bad|=(long)r;}pthread_barrier_destroy(&b);return bad||serial!=1;}
